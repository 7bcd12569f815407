"""The outline of a web page: headings, labels, panels, tables, boilerplate."""
