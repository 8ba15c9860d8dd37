/**
 * Hostile clients against a server with a small heap and few file handles. A concurrent
 * well-behaved client must not be affected. Each attack was successful once.
 */
@NullMarked
package petrichor.testing.crash.hostile;

import org.jspecify.annotations.NullMarked;
