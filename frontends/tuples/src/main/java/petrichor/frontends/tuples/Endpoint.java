package petrichor.frontends.tuples;

import com.google.protobuf.Message;
import java.util.function.Function;
import petrichor.frontends.http.ApiMethod;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RestApi;

/**
 * The REST binding of a method.
 *
 * @param httpMethod such as POST
 * @param path with parameters
 * @param message makes the request of the method
 */
record Endpoint<Q extends Message, R extends Message>(
        String httpMethod, String path, ApiMethod<Q, R> method, Function<Page.Request, Q> message) {
    Page page(RestApi rest) {
        return rest.page(httpMethod, path, method, message);
    }
}
