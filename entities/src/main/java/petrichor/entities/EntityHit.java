package petrichor.entities;

/**
 * An entity found (or missed, in a lookup), in the serialized form in which it is stored, so that a
 * front end can copy it to the wire without parsing it.
 *
 * @param entity serialized google.datastore.v1.Entity; must not be changed
 * @param version of the entity, microseconds since 1970; for a missing one the read version
 * @param createTime microseconds since 1970; 0 if the entity is missing
 * @param updateTime microseconds since 1970; 0 if the entity is missing
 * @param cursor where a query continues after this result; empty outside queries
 */
public record EntityHit(
        byte[] entity, long version, long createTime, long updateTime, byte[] cursor) {}
