package petrichor.frontends.http;

import com.google.gson.JsonObject;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/**
 * The REST binding of methods, in JSON. Stateless.
 *
 * @param lane threads that run the methods
 * @param types of messages in fields of the type Any
 */
public record RestApi(ApiCalls calls, Page.Lane lane, JsonFormat.TypeRegistry types) {
    private static final String PROJECT = "project";
    private static final String DEFAULT_DATABASE = "(default)";

    /**
     * A page that executes a method. The caller's role is checked before the message is made: a
     * caller without the role learns nothing about the method's requests and causes no work.
     *
     * @param path with the parameter {@code {project}}, and {@code {database}} unless the method is
     *     about the default database
     * @param message makes the method's request from that of the page
     */
    public <Q extends Message, R extends Message> Page page(
            String httpMethod,
            String path,
            ApiMethod<Q, R> method,
            Function<Page.Request, Q> message) {
        return page(
                httpMethod,
                path,
                request -> {
                    request.attempt()
                            .require(method.role(), request.inPath(PROJECT), database(request));
                    return calls.call(method, message.apply(request), request.attempt());
                });
    }

    /** The id of the database in the path: empty for the default database. */
    public static String database(Page.Request request) {
        String id = request.inPath().getOrDefault("database", DEFAULT_DATABASE);
        return id.equals(DEFAULT_DATABASE) ? "" : id;
    }

    /**
     * A page for all other paths of the API.
     *
     * @param paths that exist, for the text of the error
     */
    public Page unknown(String httpMethod, String path, String paths) {
        return page(
                httpMethod,
                path,
                request -> {
                    throw PetrichorException.of(
                            ErrorCode.NOT_FOUND,
                            "no such path: {path}; there are {paths}",
                            "path",
                            request.path(),
                            "paths",
                            paths);
                });
    }

    private Page page(String httpMethod, String path, Function<Page.Request, Message> call) {
        return new Page(
                httpMethod, path, Page.Access.TOKEN, lane, request -> answer(request, call));
    }

    private Page.Answer answer(Page.Request request, Function<Page.Request, Message> call) {
        try {
            String json = JsonFormat.printer().usingTypeRegistry(types).print(call.apply(request));
            return Page.Answer.json(200, json + "\n");
        } catch (RuntimeException | InvalidProtocolBufferException failed) {
            CallFailure failure =
                    CallFailure.of(failed, Trace.of(request.headers().get(Trace.HEADER)));
            request.attempt().end(failure.code().name());
            return error(failure);
        }
    }

    private static Page.Answer error(CallFailure failure) {
        int status = HttpStatus.of(failure.code());
        JsonObject error = new JsonObject();
        error.addProperty("code", status);
        error.addProperty("message", failure.text());
        error.addProperty("status", failure.code().name());
        JsonObject body = new JsonObject();
        body.add("error", error);
        return Page.Answer.json(status, body + "\n");
    }

    /** A parameter of the query; empty if it is not set. */
    public static String parameter(Page.Request request, String name) {
        return request.parameters().getOrDefault(name, "");
    }

    /** The parameter pageSize; 0 if it is not set. */
    public static int pageSize(Page.Request request) {
        String size = parameter(request, "pageSize");
        try {
            return size.isEmpty() ? 0 : Integer.parseInt(size);
        } catch (NumberFormatException noNumber) {
            throw PetrichorException.invalid(
                    "pageSize must be a number, not \"{size}\".", "size", size);
        }
    }

    /** Adds the JSON of the body to a message; an empty body adds nothing. */
    public static <B extends Message.Builder> B body(Page.Request request, B into) {
        String text = new String(request.body(), StandardCharsets.UTF_8);
        try {
            if (!text.isBlank()) {
                JsonFormat.parser().merge(text, into);
            }
            return into;
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid(
                    "The body is not {message} in JSON: {reason}",
                    "message",
                    into.getDescriptorForType().getName(),
                    "reason",
                    JsonParserMessages.shown(String.valueOf(malformed.getMessage())));
        }
    }
}
