package petrichor.clients.sql;

import java.util.Objects;
import java.util.UUID;

/** Databases that no other test uses: they exist as soon as they are used. */
final class Databases {
    static final String USER = "duke";

    private Databases() {}

    /** A URL of JDBC for the server at PETRICHOR_TEST_SQL. */
    static String unused() {
        String address =
                Objects.requireNonNull(
                        System.getenv("PETRICHOR_TEST_SQL"),
                        "set PETRICHOR_TEST_SQL=HOST:PORT, or start these tests with clients/run");
        return "jdbc:postgresql://" + address + "/java-" + UUID.randomUUID().toString().substring(0, 13);
    }
}
