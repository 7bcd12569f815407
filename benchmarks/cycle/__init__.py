"""One cycle of the crypto recipe beside the script that anybody would write."""
