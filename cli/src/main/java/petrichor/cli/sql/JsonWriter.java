package petrichor.cli.sql;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSyntaxException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * JSON: numbers, booleans and JSON values are such, every other value a string as PostgreSQL writes
 * it. Columns with the same name are numbered: {@code id}, {@code id_2}.
 */
final class JsonWriter implements ResultWriter {
    private static final Gson GSON =
            new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    private static final Pattern NUMBER =
            Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][-+]?\\d+)?");

    private final PrintStream out;
    private final boolean document;
    private List<Column> columns = List.of();
    private List<String> names = List.of();
    private boolean later;
    private boolean laterRow;

    /**
     * @param document one array with an object per statement; otherwise one object per row
     */
    JsonWriter(PrintStream out, boolean document) {
        this.out = out;
        this.document = document;
    }

    @Override
    public void begin(List<Column> all) {
        columns = all;
        names = distinct(all);
        laterRow = false;
        if (document) {
            JsonArray described = new JsonArray();
            for (int i = 0; i < all.size(); i++) {
                JsonObject column = new JsonObject();
                column.addProperty("name", names.get(i));
                column.addProperty("type", all.get(i).typeName());
                described.add(column);
            }
            next();
            out.print("{\"columns\":" + GSON.toJson(described) + ",\"rows\":[");
        }
    }

    private static List<String> distinct(List<Column> columns) {
        List<String> names = new ArrayList<>();
        for (Column column : columns) {
            String name = column.name();
            for (int number = 2; names.contains(name); number++) {
                name = column.name() + "_" + number;
            }
            names.add(name);
        }
        return names;
    }

    /** Starts the object of a statement. */
    private void next() {
        out.print(later ? ",\n" : "[");
        later = true;
    }

    @Override
    public void row(List<@Nullable String> cells) {
        JsonObject row = new JsonObject();
        for (int i = 0; i < cells.size(); i++) {
            row.add(names.get(i), value(columns.get(i), cells.get(i)));
        }
        if (document) {
            out.print((laterRow ? ",\n" : "\n") + GSON.toJson(row));
            laterRow = true;
        } else {
            out.println(GSON.toJson(row));
        }
    }

    private static JsonElement value(Column column, @Nullable String cell) {
        if (cell == null) {
            return JsonNull.INSTANCE;
        }
        if (column.isNumber()) {
            return NUMBER.matcher(cell).matches()
                    ? new JsonPrimitive(new BigDecimal(cell))
                    : new JsonPrimitive(cell);
        }
        if (column.type() == Types.BIT && column.typeName().equals("bool")) {
            return new JsonPrimitive(cell.equals("t"));
        }
        if (column.typeName().equals("json") || column.typeName().equals("jsonb")) {
            try {
                return JsonParser.parseString(cell);
            } catch (JsonSyntaxException text) {
                return new JsonPrimitive(cell);
            }
        }
        return new JsonPrimitive(cell);
    }

    @Override
    public void end(long rows) {
        if (document) {
            out.print("],\"count\":" + rows + "}");
        }
    }

    @Override
    public void done(String tag) {
        if (document) {
            JsonObject done = new JsonObject();
            done.addProperty("command", tag);
            next();
            out.print(GSON.toJson(done));
        }
    }

    @Override
    public void failed(SqlFailure failure) {
        if (!document) {
            return;
        }
        JsonObject error = new JsonObject();
        error.addProperty("sqlState", failure.sqlState());
        error.addProperty("message", failure.text());
        if (!failure.detail().isEmpty()) {
            error.addProperty("detail", failure.detail());
        }
        if (!failure.hint().isEmpty()) {
            error.addProperty("hint", failure.hint());
        }
        if (failure.position() > 0) {
            error.addProperty("position", failure.position());
        }
        JsonObject done = new JsonObject();
        done.add("error", error);
        next();
        out.print(GSON.toJson(done));
    }

    @Override
    public void close() {
        if (document) {
            out.println(later ? "]" : "[]");
            later = false;
        }
    }
}
