package petrichor.frontends.tasks;

import com.google.protobuf.Message;
import java.util.function.Function;
import petrichor.frontends.access.Role;

/**
 * A method of this front end, independent of the protocol of its caller.
 *
 * @param name as {@code package.Service/Method}
 * @param request an empty request
 * @param response an empty response
 * @param role required in the default database of the project
 * @param project extracts the project from a request; INVALID_ARGUMENT if there is none
 * @param work executes it on the owner of the project's default database; blocks
 */
record TasksMethod<Q extends Message, R extends Message>(
        String name,
        Q request,
        R response,
        Role role,
        Function<Q, String> project,
        Function<Q, R> work) {}
