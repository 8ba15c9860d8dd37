package petrichor.cli.connection;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import petrichor.client.DatabaseName;

/** The databases that a server lists. Stateless. */
public final class KnownDatabases {
    private static final String PAGE = "/petrichor/v1/databases";
    private static final int SHOWN_MAX = 5;

    private KnownDatabases() {}

    public static List<DatabaseName> of(ServerAddress.Connection connection, ServerAddress address)
            throws InterruptedException {
        List<DatabaseName> databases = new ArrayList<>();
        for (JsonObject database : described(connection, address)) {
            databases.add(
                    new DatabaseName(
                            database.get("project").getAsString(),
                            database.get("database").getAsString()));
        }
        return databases;
    }

    /** As the server describes them. */
    public static List<JsonObject> described(
            ServerAddress.Connection connection, ServerAddress address)
            throws InterruptedException {
        List<JsonObject> databases = new ArrayList<>();
        for (JsonElement element :
                ServerPage.read(
                                connection.client().address(),
                                PAGE,
                                address.token(),
                                address.tls(),
                                "its databases")
                        .getAsJsonArray("databases")) {
            databases.add(element.getAsJsonObject());
        }
        return databases;
    }

    /** Message for a database that the server does not have. */
    public static String missing(DatabaseName wanted, List<DatabaseName> databases) {
        String others =
                databases.isEmpty()
                        ? "there are none"
                        : "there are "
                                + databases.stream()
                                        .limit(SHOWN_MAX)
                                        .map(DatabaseName::toString)
                                        .collect(Collectors.joining(", "))
                                + (databases.size() > SHOWN_MAX ? ", ..." : "");
        return "warning: the server has no database "
                + wanted
                + "; "
                + others
                + "; name one with --project and --database";
    }
}
