"""The outline divided into sections."""
