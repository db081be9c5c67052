// Package architecture holds the tests that keep the structure of anvil as it is drawn: the import order, and who alone may use what.
package architecture
