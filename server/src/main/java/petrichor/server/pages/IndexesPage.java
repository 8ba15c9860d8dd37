package petrichor.server.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.CompositeIndex;
import petrichor.entities.IndexDefinition;
import petrichor.entities.SortOrder;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.server.data.Data;

/**
 * {@code GET /petrichor/v1/indexes?project=P&database=D}: the composite indexes of a database and
 * their states, for the command {@code index list}. Unlike the Admin API (datastore.admin.v1), it
 * also serves named databases.
 */
public final class IndexesPage {
    public static final String PATH = "/petrichor/v1/indexes";

    private final Supplier<Data> data;

    public IndexesPage(Supplier<Data> data) {
        this.data = data;
    }

    public Page page() {
        return new Page("GET", PATH, Page.Access.TOKEN, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        String project = request.parameters().getOrDefault("project", "");
        String database = request.parameters().getOrDefault("database", "");
        request.attempt().require(Role.READ, project, database);
        JsonArray indexes = new JsonArray();
        try {
            for (CompositeIndex index : data.get().compositeIndexes(project, database)) {
                indexes.add(json(index));
            }
        } catch (PetrichorException refused) {
            JsonObject error = new JsonObject();
            error.addProperty("error", refused.getMessage());
            return Page.Answer.json(
                    refused.code() == ErrorCode.INVALID_ARGUMENT ? 400 : 503, error + "\n");
        }
        JsonObject all = new JsonObject();
        all.add("indexes", indexes);
        return Page.Answer.json(200, all + "\n");
    }

    private static JsonObject json(CompositeIndex index) {
        IndexDefinition definition = index.definition();
        JsonArray properties = new JsonArray();
        for (IndexDefinition.Column column : definition.columns()) {
            JsonObject property = new JsonObject();
            property.addProperty("name", column.property());
            property.addProperty(
                    "direction", column.order() == SortOrder.DESCENDING ? "desc" : "asc");
            properties.add(property);
        }
        JsonObject json = new JsonObject();
        json.addProperty("kind", definition.kind());
        json.addProperty("ancestor", definition.ancestor());
        json.add("properties", properties);
        json.addProperty(
                "state",
                switch (index.state()) {
                    case WRITE_ONLY -> "building";
                    case READABLE -> "ready";
                    case REMOVING -> "removing";
                });
        json.addProperty("yaml", definition.yaml());
        return json;
    }
}
