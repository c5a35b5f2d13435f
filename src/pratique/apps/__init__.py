"""Systems built on the library, each usable on its own. Nothing below imports them."""
