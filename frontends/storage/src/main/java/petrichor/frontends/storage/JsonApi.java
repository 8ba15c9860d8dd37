package petrichor.frontends.storage;

import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;

/** Finds the method of the JSON API that a request means. Thread-safe. */
final class JsonApi {
    private static final String BASE = "/storage/v1/";

    /**
     * Node's client omits the beginning of the path if it finds the server by an environment
     * variable. No bucket has a name of one letter, so objects of the XML API are elsewhere.
     */
    static final List<String> RESOURCES = List.of(BASE + "*", "/b", "/b/*");

    static final String DOWNLOADS = "/download/storage/v1/";

    /** Clients of different ages use either. */
    static final List<String> UPLOADS =
            List.of("/upload/storage/v1/", "/resumable/upload/storage/v1/");

    private static final String BUCKETS = "b";
    private static final String OBJECTS = "o";

    private final UploadCalls uploads;
    private final ResumableCalls resumable;
    private final Downloads downloads;

    JsonApi(UploadCalls uploads, ResumableCalls resumable, Downloads downloads) {
        this.uploads = uploads;
        this.resumable = resumable;
        this.downloads = downloads;
    }

    /** NOT_FOUND if there is no such resource, UNIMPLEMENTED if it has no such method. */
    Operation resource(String sent, Page.Request request) {
        String method = sent.equals("POST") && request.meansPatch() ? "PATCH" : sent;
        String target = request.raw().target();
        List<String> path = ResourcePath.segments(target, target.startsWith(BASE) ? BASE : "/");
        if (!path.getFirst().equals(BUCKETS)) {
            throw unknown(request);
        }
        return switch (path.size()) {
            case 1 -> buckets(method, request);
            case 2 -> bucket(method, path.get(1), request);
            case 3 -> objects(method, path, request);
            case 4 -> object(method, path, request);
            case 5 -> compose(method, path, request);
            case 9 -> copy(method, path, request);
            default -> throw unknown(request);
        };
    }

    private static Operation buckets(String method, Page.Request request) {
        return switch (method) {
            case "GET" -> new Operation("buckets.list", BucketCalls::list);
            case "POST" -> new Operation("buckets.insert", BucketCalls::insert);
            default -> throw unknown(request);
        };
    }

    private static Operation bucket(String method, String bucket, Page.Request request) {
        return switch (method) {
            case "GET" -> new Operation("buckets.get", call -> BucketCalls.get(call, bucket));
            case "PATCH" -> new Operation("buckets.patch", call -> BucketCalls.patch(call, bucket));
            case "PUT" -> new Operation("buckets.update", call -> BucketCalls.update(call, bucket));
            case "DELETE" ->
                    new Operation("buckets.delete", call -> BucketCalls.delete(call, bucket));
            default -> throw unknown(request);
        };
    }

    private static Operation objects(String method, List<String> path, Page.Request request) {
        if (!path.get(2).equals(OBJECTS) || !method.equals("GET")) {
            throw unknown(request);
        }
        return new Operation("objects.list", call -> ObjectCalls.list(call, path.get(1)));
    }

    private Operation object(String method, List<String> path, Page.Request request) {
        String bucket = path.get(1);
        String name = path.get(3);
        if (!path.get(2).equals(OBJECTS)) {
            throw unknown(request);
        }
        return switch (method) {
            case "GET" ->
                    "media".equals(request.parameters().get("alt"))
                            ? download(bucket, name)
                            : new Operation(
                                    "objects.get", call -> ObjectCalls.get(call, bucket, name));
            case "PATCH" ->
                    new Operation("objects.patch", call -> ObjectCalls.patch(call, bucket, name));
            case "PUT" ->
                    new Operation("objects.update", call -> ObjectCalls.update(call, bucket, name));
            case "DELETE" ->
                    new Operation(
                            "objects.delete",
                            call -> {
                                ObjectCalls.delete(call, bucket, name);
                                return Page.Answer.bytes(204, "application/json", new byte[0]);
                            });
            default -> throw unknown(request);
        };
    }

    private static Operation compose(String method, List<String> path, Page.Request request) {
        if (!path.get(2).equals(OBJECTS)
                || !path.get(4).equals("compose")
                || !method.equals("POST")) {
            throw unknown(request);
        }
        return new Operation(
                "objects.compose", call -> ObjectCalls.compose(call, path.get(1), path.get(3)));
    }

    private static Operation copy(String method, List<String> path, Page.Request request) {
        boolean names =
                path.get(2).equals(OBJECTS)
                        && path.get(5).equals(BUCKETS)
                        && path.get(7).equals(OBJECTS);
        if (!names || !method.equals("POST")) {
            throw unknown(request);
        }
        ObjectCalls.Name source = new ObjectCalls.Name(path.get(1), path.get(3));
        ObjectCalls.Name target = new ObjectCalls.Name(path.get(6), path.get(8));
        return switch (path.get(4)) {
            case "copyTo" ->
                    new Operation("objects.copy", call -> ObjectCalls.copy(call, source, target));
            case "rewriteTo" ->
                    new Operation(
                            "objects.rewrite", call -> ObjectCalls.rewrite(call, source, target));
            default -> throw unknown(request);
        };
    }

    Operation download(Page.Request request) {
        List<String> path = ResourcePath.segments(request.raw().target(), DOWNLOADS);
        if (path.size() != 4 || !path.get(0).equals(BUCKETS) || !path.get(2).equals(OBJECTS)) {
            throw unknown(request);
        }
        return download(path.get(1), path.get(3));
    }

    private Operation download(String bucket, String name) {
        return new Operation("objects.download", call -> downloads.content(call, bucket, name));
    }

    Operation upload(String method, Page.Request request) {
        String target = request.raw().target();
        String prefix = UPLOADS.stream().filter(target::startsWith).findFirst().orElse("/");
        List<String> path = ResourcePath.segments(target, prefix);
        if (path.size() != 3 || !path.get(0).equals(BUCKETS) || !path.get(2).equals(OBJECTS)) {
            throw unknown(request);
        }
        String bucket = path.get(1);
        String id = request.parameters().get("upload_id");
        return switch (method) {
            case "DELETE" -> {
                if (id == null) {
                    throw unknown(request);
                }
                yield new Operation(
                        "uploads.cancel", call -> ResumableCalls.cancel(call, bucket, id));
            }
            case "POST", "PUT" ->
                    id == null
                            ? new Operation("objects.insert", call -> uploads.insert(call, bucket))
                            : new Operation(
                                    "uploads.resume",
                                    call ->
                                            resumable.resume(
                                                    call, bucket, id, ObjectCalls::answer));
            default -> throw unknown(request);
        };
    }

    private static PetrichorException unknown(Page.Request request) {
        return PetrichorException.of(
                ErrorCode.UNIMPLEMENTED,
                "this server does not have the method {method} {path} of Cloud Storage",
                "method",
                request.raw().method(),
                "path",
                request.path());
    }
}
