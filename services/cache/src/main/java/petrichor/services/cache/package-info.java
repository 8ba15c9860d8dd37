/**
 * A cache per app, with the semantics of memcached: items with flags and an expiry,
 * compare-and-set, counters, and locks of deleted keys. A {@link petrichor.services.cache.Cache}
 * belongs to one app and is used only on the owner of the app's database, which orders its
 * operations. {@link petrichor.services.cache.LruCaches} keeps the items of all apps in the memory
 * of this process.
 */
@NullMarked
package petrichor.services.cache;

import org.jspecify.annotations.NullMarked;
