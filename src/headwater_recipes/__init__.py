"""The recipes that come with Headwater. Nothing in `headwater` imports them; they are found by entry point."""
