"""An invented news wire: forms, the words for their slots, and the edits of other publishers."""
