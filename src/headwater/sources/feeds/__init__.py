"""RSS, Atom and JSON Feed, however broken; OPML; WebSub."""
