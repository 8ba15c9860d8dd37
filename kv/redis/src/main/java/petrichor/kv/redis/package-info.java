/**
 * Redis as a datastore: one server that appends to its file, and syncs it, before it responds.
 *
 * <p>Redis has no ordered map, so a table is two Redis values: a sorted set whose scores are all
 * equal, which orders the keys, and a hash from keys to values. Both change together because every
 * write is one Lua script, which Redis runs atomically and logs as one transaction; the same script
 * checks the fence. {@link petrichor.kv.redis.RedisStore} is the store, {@link
 * petrichor.kv.redis.CheckedConnection} ensures that no server is used that might lose acknowledged
 * writes, and the scripts are resources next to the classes.
 */
@NullMarked
package petrichor.kv.redis;

import org.jspecify.annotations.NullMarked;
