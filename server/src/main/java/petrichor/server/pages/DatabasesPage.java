package petrichor.server.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Scope;
import petrichor.frontends.http.Page;
import petrichor.server.data.Data;
import petrichor.server.data.DatabaseId;

/**
 * {@code GET /petrichor/v1/databases}: all databases of the store within the scope of the caller's
 * token, regardless of their owner, for the commands {@code database list} and {@code export
 * --all}. The default database of a project has the id "".
 */
public final class DatabasesPage {
    static final String PATH = "/petrichor/v1/databases";

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
            data.get().databases().names().stream()
                    .sorted()
                    .map(DatabaseId::of)
                    .filter(id -> id.isIn(scope))
                    .forEach(id -> databases.add(json(id)));
        } catch (PetrichorException away) {
            JsonObject error = new JsonObject();
            error.addProperty("error", away.getMessage());
            return Page.Answer.json(503, error + "\n");
        }
        JsonObject all = new JsonObject();
        all.add("databases", databases);
        return Page.Answer.json(200, all + "\n");
    }

    private static JsonObject json(DatabaseId id) {
        JsonObject json = new JsonObject();
        json.addProperty("project", id.project());
        json.addProperty("database", id.database());
        return json;
    }
}
