package petrichor.cli.sql;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of JSON lines: one object per line, whose members are the columns. */
final class JsonRows implements ImportedRows {
    private final BufferedReader reader;
    private final List<String> columns;
    private final boolean open;
    private long line;

    /**
     * @param names the columns; empty for all members of the objects
     */
    JsonRows(BufferedReader reader, List<String> names) {
        this.reader = reader;
        this.columns = new ArrayList<>(names);
        this.open = names.isEmpty();
    }

    @Override
    public List<String> columns() {
        return columns;
    }

    @Override
    public @Nullable Row next() throws IOException {
        String text = reader.readLine();
        line++;
        while (text != null && text.isBlank()) {
            text = reader.readLine();
            line++;
        }
        if (text == null) {
            return null;
        }
        try {
            JsonElement element = JsonParser.parseString(text);
            if (!element.isJsonObject()) {
                return new Unreadable(line, "not a JSON object", text);
            }
            return new Values(line, cells(element.getAsJsonObject()), text);
        } catch (JsonSyntaxException invalid) {
            return new Unreadable(line, "not JSON: " + invalid.getMessage(), text);
        }
    }

    private List<@Nullable String> cells(JsonObject object) {
        if (open) {
            for (String name : object.keySet()) {
                if (!columns.contains(name)) {
                    columns.add(name);
                }
            }
        }
        List<@Nullable String> cells = new ArrayList<>(columns.size());
        for (String name : columns) {
            JsonElement value = object.get(name);
            cells.add(
                    value == null || value.isJsonNull()
                            ? null
                            : value.isJsonPrimitive() ? value.getAsString() : value.toString());
        }
        return cells;
    }

    @Override
    public void close() {
        try {
            reader.close();
        } catch (IOException alreadyRead) {
            return;
        }
    }
}
