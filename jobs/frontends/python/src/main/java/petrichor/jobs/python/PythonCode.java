package petrichor.jobs.python;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.Serializable;
import java.util.List;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/**
 * A user-defined function, as workers need it. Data; the same for all subtasks.
 *
 * @param step its name, for people
 * @param shape how it is called: a word of the front end's, such as {@code map} or {@code reduce}
 * @param function opaque here: pickled, in base64
 * @param program where the worker finds the function's dependencies: opaque JSON of the front end
 * @param key positions of the key's fields, of the first input, then of the second
 */
record PythonCode(
        String step,
        String shape,
        String function,
        String program,
        Interpreter interpreter,
        List<List<Integer>> key)
        implements Serializable {

    /** The message that a worker gets before the first batch. */
    JsonObject setup(List<RecordType> inputs, RecordType output) {
        var setup = new JsonObject();
        setup.addProperty("step", step);
        setup.addProperty("shape", shape);
        setup.addProperty("function", function);
        setup.addProperty("program", program);
        var types = new JsonArray();
        inputs.forEach(input -> types.add(fields(input)));
        setup.add("inputs", types);
        setup.add("output", fields(output));
        var keys = new JsonArray();
        for (var one : key) {
            var positions = new JsonArray();
            one.forEach(positions::add);
            keys.add(positions);
        }
        setup.add("keys", keys);
        setup.addProperty("batch_rows_max", BatchWriter.BATCH_ROWS_MAX);
        setup.addProperty("batch_bytes_max", BatchWriter.BATCH_BYTES_MAX);
        return setup;
    }

    private static JsonArray fields(RecordType type) {
        var fields = new JsonArray();
        for (Field field : type.fields()) {
            var pair = new JsonArray();
            pair.add(field.name());
            pair.add(field.type().name());
            fields.add(pair);
        }
        return fields;
    }
}
