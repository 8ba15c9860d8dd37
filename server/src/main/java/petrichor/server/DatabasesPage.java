package petrichor.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;
import petrichor.frontends.datastore.Page;

/**
 * {@code GET /petrichor/v1/databases}: every database of the store, whoever owns it, which the
 * commands {@code database list} and {@code export --all} read. The default database of a project
 * has the id "".
 */
final class DatabasesPage {
    static final String PATH = "/petrichor/v1/databases";

    private final Supplier<Data> data;

    DatabasesPage(Supplier<Data> data) {
        this.data = data;
    }

    Page page() {
        return new Page("GET", PATH, true, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        JsonArray databases = new JsonArray();
        try {
            List<String> names = data.get().databases().names().stream().sorted().toList();
            names.forEach(name -> databases.add(json(name)));
        } catch (PetrichorException away) {
            JsonObject error = new JsonObject();
            error.addProperty("error", away.getMessage());
            return Page.Answer.json(503, error + "\n");
        }
        JsonObject all = new JsonObject();
        all.add("databases", databases);
        return Page.Answer.json(200, all + "\n");
    }

    private static JsonObject json(String name) {
        int slash = name.indexOf('/');
        JsonObject json = new JsonObject();
        json.addProperty("project", slash < 0 ? name : name.substring(0, slash));
        json.addProperty("database", slash < 0 ? "" : name.substring(slash + 1));
        return json;
    }
}
