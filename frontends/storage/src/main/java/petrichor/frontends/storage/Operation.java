package petrichor.frontends.storage;

import java.util.function.Function;
import petrichor.frontends.http.Page;

/**
 * A method of the API, applied to the resource that a request names.
 *
 * @param name for metrics, such as {@code objects.get}
 */
record Operation(String name, Function<StorageCall, Page.Answer> run) {}
