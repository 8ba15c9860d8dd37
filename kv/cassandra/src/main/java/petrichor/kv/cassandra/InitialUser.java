package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidConfigurationInQueryException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/**
 * Creates the user that Petrichor logs in as. A fresh cluster has only the well-known default user;
 * this removes its password.
 */
record InitialUser(List<InetSocketAddress> nodes, String secret) {
    static final String NAME = "petrichor";
    private static final String WELL_KNOWN = "cassandra";
    private static final Duration ANSWER_MAX = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(500);

    /** A fresh cluster creates its first user shortly after it starts to serve. */
    private static final int TRIES = 60;

    private static final int COPIES_MAX = 3;

    void require() {
        for (int tries = 0; tries < TRIES; tries++) {
            if (isLetIn(NAME, secret) || makes()) {
                return;
            }
            pause();
        }
        throw StoreFailures.unfit(
                "cassandra at " + nodes,
                "it accepts neither the user of its cluster nor that of a new cluster; wipe it and"
                        + " start it again");
    }

    private boolean isLetIn(String user, String password) {
        try (CqlSession session = session(user, password)) {
            return session.isSchemaMetadataEnabled();
        } catch (PetrichorException refused) {
            return requireRefusal(refused);
        }
    }

    private boolean makes() {
        try (CqlSession session = session(WELL_KNOWN, WELL_KNOWN)) {
            // The user must be stored on more than one node, or it is lost with that node.
            String datacenter =
                    String.valueOf(
                            session.getMetadata()
                                    .getNodes()
                                    .values()
                                    .iterator()
                                    .next()
                                    .getDatacenter());
            change(
                    session,
                    ("ALTER KEYSPACE system_auth WITH replication = {'class':"
                                    + " 'NetworkTopologyStrategy', '%s': %d}")
                            .formatted(datacenter, Math.min(COPIES_MAX, nodes.size())));
            change(
                    session,
                    "CREATE ROLE IF NOT EXISTS %s WITH PASSWORD = '%s' AND LOGIN = true AND SUPERUSER = true"
                            .formatted(NAME, secret));
        } catch (InvalidConfigurationInQueryException refused) {
            return requireJoining(refused);
        } catch (PetrichorException refused) {
            return requireRefusal(refused);
        }
        try (CqlSession session = session(NAME, secret)) {
            change(
                    session,
                    "ALTER ROLE %s WITH PASSWORD = '%s' AND LOGIN = false AND SUPERUSER = false"
                            .formatted(WELL_KNOWN, secret));
        }
        return true;
    }

    /** False for a refusal and for nodes that do not respond yet; throws anything else. */
    private static boolean requireRefusal(PetrichorException failure) {
        if (failure.code() == ErrorCode.UNAUTHENTICATED
                || failure.code() == ErrorCode.UNAVAILABLE) {
            return false;
        }
        throw failure;
    }

    /**
     * False while serving nodes still appear as joining to the node that was queried: gossip
     * updates it a moment later. Replication cannot be changed until then.
     */
    private static boolean requireJoining(InvalidConfigurationInQueryException failure) {
        if (String.valueOf(failure.getMessage()).contains("not in normal state")) {
            return false;
        }
        throw failure;
    }

    private CqlSession session(String user, String password) {
        return CassandraSessions.open(
                new CassandraAddress(
                        "cassandra at " + nodes,
                        nodes,
                        Optional.of(user),
                        Optional.of(password),
                        "system",
                        "none",
                        ANSWER_MAX,
                        Optional.empty()));
    }

    private static void change(CqlSession session, String cql) {
        session.execute(SimpleStatement.newInstance(cql).setTimeout(ANSWER_MAX));
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
