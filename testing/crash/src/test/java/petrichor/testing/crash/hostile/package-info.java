/**
 * Hostile clients against a server with a small heap and few file handles, beside a well-behaved
 * one: that one must not notice. Each attack was once successful.
 */
@NullMarked
package petrichor.testing.crash.hostile;

import org.jspecify.annotations.NullMarked;
