package petrichor.cli.console;

import com.google.gson.JsonObject;

/** One flat JSON object on one line, for {@code --json} and {@code --output json}. */
public final class JsonLine {
    private final JsonObject object = new JsonObject();

    public JsonLine put(String name, String value) {
        object.addProperty(name, value);
        return this;
    }

    public JsonLine put(String name, long value) {
        object.addProperty(name, value);
        return this;
    }

    @Override
    public String toString() {
        return object.toString();
    }
}
