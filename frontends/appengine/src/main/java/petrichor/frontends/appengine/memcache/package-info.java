/** The API {@code memcache}: items, counters and statistics of the calling app's cache. */
@NullMarked
package petrichor.frontends.appengine.memcache;

import org.jspecify.annotations.NullMarked;
