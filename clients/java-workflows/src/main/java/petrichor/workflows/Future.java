package petrichor.workflows;

import com.google.gson.annotations.SerializedName;
import java.util.List;
import java.util.stream.Stream;

/**
 * The output of a step that has not ended. Pass it to another pipeline, which receives the value.
 *
 * @param path names of items within the output
 */
public record Future(@SerializedName(Future.NAME) String step, List<String> path) {
    /** Of the step in JSON, as in the Python library. */
    static final String NAME = "$future";

    /** An item of the output. */
    public Future get(String name) {
        return new Future(step, Stream.concat(path.stream(), Stream.of(name)).toList());
    }
}
