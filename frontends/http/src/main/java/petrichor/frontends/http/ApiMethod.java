package petrichor.frontends.http;

import com.google.protobuf.Message;
import java.util.function.BiFunction;
import java.util.function.Function;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;

/**
 * A method of one of Google's APIs, independent of the protocol of its caller: {@link RestApi} and
 * {@link GrpcApi} offer it, and {@link ApiCalls} executes it.
 *
 * @param name as {@code package.Service/Method}
 * @param request an empty request
 * @param response an empty response
 * @param role required in the database
 * @param project extracts the project from a request; INVALID_ARGUMENT if there is none
 * @param database extracts the id of the database from a request; empty for the default database
 * @param work executes it on the owner of the database; blocks
 */
public record ApiMethod<Q extends Message, R extends Message>(
        String name,
        Q request,
        R response,
        Role role,
        Function<Q, String> project,
        Function<Q, String> database,
        BiFunction<Q, Caller, R> work) {

    /** A method about the default database of a project. */
    public ApiMethod(
            String name,
            Q request,
            R response,
            Role role,
            Function<Q, String> project,
            BiFunction<Q, Caller, R> work) {
        this(name, request, response, role, project, _ -> "", work);
    }

    /** A method that behaves the same for all callers with the role. */
    public static <Q extends Message, R extends Message> ApiMethod<Q, R> of(
            String name,
            Q request,
            R response,
            Role role,
            Function<Q, String> project,
            Function<Q, R> work) {
        return new ApiMethod<>(
                name, request, response, role, project, (asked, _) -> work.apply(asked));
    }

    String service() {
        return name.substring(0, name.indexOf('/'));
    }
}
