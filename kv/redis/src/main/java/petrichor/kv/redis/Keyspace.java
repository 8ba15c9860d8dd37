package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * The names of all Redis keys of a store. Each starts with the store's name and a colon, so that
 * several stores and other programs can share the database.
 *
 * @param name letters, digits, _ and -
 */
record Keyspace(String name) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    Keyspace {
        if (!NAME.matcher(name).matches()) {
            throw PetrichorException.invalid(
                    "the name in a Redis store's address begins its keys: use 1 to 64 letters,"
                            + " digits, _ and -, not '{name}'",
                    "name",
                    name);
        }
    }

    /** The version of this layout. */
    byte[] format() {
        return key("format");
    }

    /** A set of names. */
    byte[] tables() {
        return key("tables");
    }

    /** A hash from domains to their fences. */
    byte[] fences() {
        return key("fences");
    }

    /** The last number used as a fence. */
    byte[] lastFence() {
        return key("fence");
    }

    /** The number of writes; it never decreases unless the whole store is rolled back. */
    byte[] writes() {
        return key("writes");
    }

    /** A sorted set: the table's keys, all with score 0, so that Redis orders them as bytes. */
    byte[] order(String table) {
        return key(table + ":order");
    }

    /** A hash from the table's keys to their values. */
    byte[] values(String table) {
        return key(table + ":values");
    }

    private byte[] key(String part) {
        return (name + ":" + part).getBytes(UTF_8);
    }
}
