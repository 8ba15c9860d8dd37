/**
 * Redis as a datastore: one server that appends to its file, and syncs it, before it answers.
 *
 * <p>Redis has no ordered map, so a table is two of its values: a sorted set whose scores are all
 * equal, which orders the keys, and a hash from keys to values. Both change together because every
 * write is one Lua script, which Redis runs alone and logs as one transaction; the check of the
 * fence is in the same script. {@link petrichor.kv.redis.RedisStore} is the face, {@link
 * petrichor.kv.redis.CheckedConnection} sees to it that no server is used that might lose what it
 * acknowledged, and the scripts lie beside the classes as resources.
 */
@NullMarked
package petrichor.kv.redis;

import org.jspecify.annotations.NullMarked;
