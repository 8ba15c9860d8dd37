package petrichor.server.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Scope;
import petrichor.frontends.http.Page;
import petrichor.server.data.Data;
import petrichor.server.data.DatabaseId;
import petrichor.transactions.Branch;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.rows.StoredSize;

/**
 * {@code GET /petrichor/v1/databases}: all databases of the store within the scope of the caller's
 * token, regardless of their owner, for the commands {@code database list} and {@code export
 * --all}. The default database of a project has the id "". Branches are listed with their parent,
 * the version that they share, and what they store themselves.
 */
public final class DatabasesPage {
    static final String PATH = "/petrichor/v1/databases";

    /** For the sizes of all branches. */
    private static final int COUNTED_ROWS_MAX = 100_000;

    private final Supplier<Data> data;

    public DatabasesPage(Supplier<Data> data) {
        this.data = data;
    }

    public Page page() {
        return new Page("GET", PATH, Page.Access.TOKEN, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        JsonArray databases = new JsonArray();
        try {
            Scope scope = request.attempt().caller().scope();
            RowDatabases all = data.get().databases();
            Map<String, Branch> branches =
                    all.branches().stream()
                            .collect(Collectors.toMap(Branch::name, Function.identity()));
            int left = COUNTED_ROWS_MAX;
            for (String name : all.names().stream().sorted().toList()) {
                DatabaseId id = DatabaseId.of(name);
                if (id.isIn(scope)) {
                    Branch branch = branches.get(name);
                    if (branch == null) {
                        databases.add(json(id));
                        continue;
                    }
                    StoredSize size = StoredSize.of(all.storedRows(), branch.number(), left);
                    left -= Math.toIntExact(size.rows());
                    databases.add(json(id, branch, size));
                }
            }
        } catch (PetrichorException away) {
            JsonObject error = new JsonObject();
            error.addProperty("error", away.getMessage());
            return Page.Answer.json(503, error + "\n");
        }
        JsonObject all = new JsonObject();
        all.add("databases", databases);
        return Page.Answer.json(200, all + "\n");
    }

    private static JsonObject json(DatabaseId id, Branch branch, StoredSize size) {
        JsonObject json = json(id);
        json.addProperty("parent", DatabaseId.of(branch.parent()).database());
        json.addProperty("version", String.valueOf(branch.version()));
        json.addProperty("rows", size.rows());
        json.addProperty("bytes", size.bytes());
        json.addProperty("complete", size.complete());
        return json;
    }

    private static JsonObject json(DatabaseId id) {
        JsonObject json = new JsonObject();
        json.addProperty("project", id.project());
        json.addProperty("database", id.database());
        return json;
    }
}
