/**
 * The real server as users start it, under clients that write, and everything that ends a process
 * without asking it first.
 */
@NullMarked
package petrichor.testing.crash;

import org.jspecify.annotations.NullMarked;
