/** Tokens: those of the configuration, and those that a running server issues. */
@NullMarked
package petrichor.server.tokens;

import org.jspecify.annotations.NullMarked;
