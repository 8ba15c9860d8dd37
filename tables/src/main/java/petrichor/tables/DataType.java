package petrichor.tables;

/**
 * The types of values, named as in PostgreSQL, with the Java class that represents a value. NULL is
 * null in every type.
 */
public enum DataType {
    /** {@link Boolean}. */
    BOOLEAN,
    /** {@link Integer}. */
    SMALLINT,
    /** {@link Integer}. */
    INTEGER,
    /** {@link Long}. */
    BIGINT,
    /** {@link java.math.BigDecimal}. */
    NUMERIC,
    /** {@link Float}. */
    REAL,
    /** {@link Double}. */
    DOUBLE,
    /** {@link String} without trailing spaces. */
    CHAR,
    /** {@link String}. */
    VARCHAR,
    /** {@link String}. */
    TEXT,
    /** {@code byte[]}; must not be changed. */
    BYTEA,
    /** {@link java.time.LocalDate}. */
    DATE,
    /** {@link java.time.LocalTime}. */
    TIME,
    /** {@link java.time.OffsetTime}. */
    TIMETZ,
    /** {@link java.time.LocalDateTime}. */
    TIMESTAMP,
    /** {@link java.time.OffsetDateTime}. */
    TIMESTAMPTZ,
    /** {@link TimeInterval}. */
    INTERVAL,
    /** {@link java.util.UUID}. */
    UUID,
    /** {@link String}: JSON text. */
    JSON,
    /** {@link java.util.List} of values of the element type. */
    ARRAY,
    /** The type of an untyped NULL, and of a parameter whose type is not known yet. */
    UNKNOWN
}
