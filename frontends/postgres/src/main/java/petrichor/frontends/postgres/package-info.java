/**
 * SQL for PostgreSQL's clients: version 3.0 of its protocol.
 *
 * <p>{@link petrichor.frontends.postgres.PostgresFrontEnd} accepts connections; each is a {@code
 * PostgresConnection} on a thread of its own: TLS if the client asks for it, SCRAM-SHA-256, then a
 * loop of messages. {@code PreparedStatements} holds the statements and portals of the extended
 * protocol, {@code TypeOid}, {@code TextFormat} and {@code BinaryFormat} the representation of
 * values. What a statement means is decided by {@link petrichor.sql}.
 *
 * <p>Source: "Frontend/Backend Protocol" in PostgreSQL's documentation.
 */
@NullMarked
package petrichor.frontends.postgres;

import org.jspecify.annotations.NullMarked;
