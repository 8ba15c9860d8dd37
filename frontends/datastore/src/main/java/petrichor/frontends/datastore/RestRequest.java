package petrichor.frontends.datastore;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.JsonParserMessages;

/**
 * A parsed {@code POST /v1/projects/{project}:{verb}}: the method, and the formats of request and
 * response.
 *
 * @param in format of the body
 * @param out format of the response
 */
record RestRequest(DatastoreMethod method, String project, Format in, Format out) {
    private static final String PREFIX = "/v1/projects/";

    /** Paths of the Admin API, which are served as pages. */
    private static final Pattern ADMIN =
            Pattern.compile(
                    "/v1/projects/[^/:]+(?::(?:export|import)|/(?:indexes|operations)(?:[/:].*)?)");

    /** The encoding of a message. */
    enum Format {
        PROTO("application/x-protobuf"),
        JSON("application/json; charset=utf-8");

        private final String mediaType;

        Format(String mediaType) {
            this.mediaType = mediaType;
        }

        String mediaType() {
            return mediaType;
        }

        private static @Nullable Format ofMediaType(@Nullable String type) {
            if (type == null) {
                return null;
            }
            int parameters = type.indexOf(';');
            String bare = (parameters < 0 ? type : type.substring(0, parameters)).trim();
            return switch (bare.toLowerCase(Locale.ROOT)) {
                case "application/x-protobuf", "application/protobuf" -> PROTO;
                case "application/json", "text/json" -> JSON;
                default -> null;
            };
        }
    }

    static boolean isApi(String path) {
        return (path.startsWith("/v1/") || path.startsWith("/v1beta"))
                && !ADMIN.matcher(path).matches();
    }

    /** The project and the method in a path, known before the body arrives. */
    record Target(DatastoreMethod method, String project) {}

    /** Empty for a path outside the API. */
    static Optional<Target> target(String path) {
        int colon = path.lastIndexOf(':');
        if (!path.startsWith(PREFIX) || colon < PREFIX.length()) {
            return Optional.empty();
        }
        return DatastoreMethod.ofVerb(path.substring(colon + 1))
                .map(method -> new Target(method, path.substring(PREFIX.length(), colon)));
    }

    /** The format of the error response to a request that could not be parsed. */
    static Format complaint(@Nullable String contentType) {
        Format format = Format.ofMediaType(contentType);
        return format == null ? Format.JSON : format;
    }

    /** NOT_FOUND for another path, INVALID_ARGUMENT for an unsupported format. */
    static RestRequest of(
            QueryStringDecoder uri, @Nullable String contentType, @Nullable String accept) {
        Target target = target(uri.path()).orElseThrow(() -> unknown(uri.path()));
        Format in = Format.ofMediaType(contentType);
        if (in == null && contentType == null) {
            throw PetrichorException.invalid(
                    "the Content-Type is missing; send application/x-protobuf or application/json");
        }
        if (in == null) {
            throw PetrichorException.invalid(
                    "Content-Type {contentType} is not supported; send application/x-protobuf or"
                            + " application/json",
                    "contentType",
                    contentType);
        }
        return new RestRequest(target.method(), target.project(), in, out(uri, accept, in));
    }

    private static Format out(QueryStringDecoder uri, @Nullable String accept, Format in) {
        List<String> alt =
                uri.parameters()
                        .getOrDefault("$alt", uri.parameters().getOrDefault("alt", List.of()));
        if (!alt.isEmpty()) {
            return switch (alt.getFirst()) {
                case "json" -> Format.JSON;
                case "proto" -> Format.PROTO;
                default ->
                        throw PetrichorException.invalid(
                                "alt={alt} is not supported; use json or proto",
                                "alt",
                                alt.getFirst());
            };
        }
        Format accepted = Format.ofMediaType(accept);
        return accepted == null ? in : accepted;
    }

    private static PetrichorException unknown(String path) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "no such path: {path}; the API is POST /v1/projects/PROJECT:METHOD with lookup,"
                        + " runQuery, runAggregationQuery, beginTransaction, commit, rollback,"
                        + " allocateIds or reserveIds",
                "path",
                path);
    }

    /** Estimated bytes of heap for the parsed body. INVALID_ARGUMENT if it cannot be measured. */
    long memory(byte[] body) {
        return switch (in) {
            case PROTO -> ProtoScan.measure(method.shape(), body).protoMemory();
            case JSON -> jsonMemory(body);
        };
    }

    private long jsonMemory(byte[] body) {
        try {
            return JsonScan.measure(method.shape(), body).jsonMemory();
        } catch (PetrichorException refused) {
            throw notThatJson(String.valueOf(refused.getMessage()));
        }
    }

    private PetrichorException notThatJson(String why) {
        return PetrichorException.invalid(
                "the body is not the JSON form of google.datastore.v1.{message}: {reason}",
                "message",
                method.newRequest().getDescriptorForType().getName(),
                "reason",
                why);
    }

    /** The body as a message with the project of the path. INVALID_ARGUMENT if it is not valid. */
    Message message(byte[] body) {
        return switch (in) {
            case PROTO -> withProject(method.parse(body));
            case JSON -> withProject(parseJson(body));
        };
    }

    private Message parseJson(byte[] body) {
        Message.Builder builder = method.newRequest();
        try {
            if (body.length > 0) {
                JsonFormat.parser()
                        .merge(
                                new InputStreamReader(
                                        new ByteArrayInputStream(body), StandardCharsets.UTF_8),
                                builder);
            }
        } catch (IOException malformed) {
            throw notThatJson(JsonParserMessages.shown(String.valueOf(malformed.getMessage())));
        }
        return builder.build();
    }

    private Message withProject(Message message) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName("project_id");
        String inBody = (String) message.getField(field);
        if (inBody.isEmpty()) {
            return message.toBuilder().setField(field, project).build();
        }
        if (!inBody.equals(project)) {
            throw PetrichorException.invalid(
                    "the path names project {project} and the body names {bodyProject}; omit"
                            + " project_id from the body or send the same",
                    "project",
                    project,
                    "bodyProject",
                    inBody);
        }
        return message;
    }

    byte[] answer(byte[] response) {
        return switch (out) {
            case PROTO -> response;
            case JSON -> json(response);
        };
    }

    private byte[] json(byte[] response) {
        try {
            return JsonFormat.printer()
                    .print(method.newResponse().mergeFrom(response))
                    .getBytes(StandardCharsets.UTF_8);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    damaged,
                    "an entity in the store cannot be read; see the server's log",
                    "method",
                    method.verb());
        }
    }

    /** Encodes a failure in Google's error model. */
    static byte[] complain(Failure failure, Format format) {
        return switch (format) {
            case PROTO -> failure.status().toByteArray();
            case JSON -> JsonErrors.of(failure).getBytes(StandardCharsets.UTF_8);
        };
    }
}
