package petrichor.jobs.entities;

import com.google.datastore.v1.PartitionId;
import java.io.Serializable;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;

/**
 * Addresses entities: those of a namespace in a database of a project, on a server. Each task of a
 * job opens a connection of its own.
 *
 * @param database empty for the default database
 * @param namespace empty for the default namespace
 * @param token sent with every call unless it is empty
 * @param tls whether the server uses TLS, with a certificate that this JVM trusts
 */
public record EntityDatabase(
        String host,
        int port,
        String project,
        String database,
        String namespace,
        String token,
        boolean tls)
        implements Serializable {
    private static final String ADDRESS = "DATASTORE_EMULATOR_HOST";
    private static final List<String> PROJECTS =
            List.of("DATASTORE_PROJECT_ID", "DATASTORE_DATASET", "GOOGLE_CLOUD_PROJECT");
    private static final int PORT_MAX = 65_535;

    public EntityDatabase {
        if (host.isEmpty() || port < 1 || port > PORT_MAX) {
            throw PetrichorException.invalid(
                    "{host}:{port} is not the address of a server; use one such as localhost:8081",
                    "host",
                    host,
                    "port",
                    port);
        }
        if (project.isEmpty()) {
            throw PetrichorException.invalid("entities belong to a project: set it");
        }
    }

    /** The default namespace of a project's default database. */
    public static EntityDatabase of(String host, int port, String project) {
        return new EntityDatabase(host, port, project, "", "", "", false);
    }

    /** From {@code DATASTORE_EMULATOR_HOST} and related variables, as in Google's clients. */
    public static EntityDatabase ofEnvironment(Map<String, String> environment) {
        String address = environment.getOrDefault(ADDRESS, "localhost:8081");
        int colon = address.lastIndexOf(':');
        if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
            throw PetrichorException.invalid(
                    ADDRESS + " is \"{address}\"; it should look like localhost:8081",
                    "address",
                    address);
        }
        String project =
                PROJECTS.stream()
                        .map(name -> environment.getOrDefault(name, ""))
                        .filter(value -> !value.isEmpty())
                        .findFirst()
                        .orElse("demo");
        return of(
                address.substring(0, colon),
                Integer.parseInt(address.substring(colon + 1)),
                project);
    }

    public EntityDatabase withDatabase(String newDatabase) {
        return new EntityDatabase(host, port, project, newDatabase, namespace, token, tls);
    }

    public EntityDatabase withNamespace(String newNamespace) {
        return new EntityDatabase(host, port, project, database, newNamespace, token, tls);
    }

    public EntityDatabase withToken(String newToken) {
        return new EntityDatabase(host, port, project, database, namespace, newToken, tls);
    }

    public EntityDatabase withTls() {
        return new EntityDatabase(host, port, project, database, namespace, token, true);
    }

    DatastoreClient connect() {
        try {
            return DatastoreClient.open(host, port, token, tls ? SSLContext.getDefault() : null);
        } catch (NoSuchAlgorithmException unusable) {
            throw PetrichorException.invalid(
                    "this JVM has no TLS support: {reason}", "reason", unusable.getMessage());
        }
    }

    DatabaseName name() {
        return new DatabaseName(project, database);
    }

    PartitionId partition() {
        return name().partition(namespace);
    }

    /** Without the token, because failures and plans contain this text. */
    @Override
    public String toString() {
        return name() + (namespace.isEmpty() ? "" : "/" + namespace) + " at " + host + ":" + port;
    }
}
