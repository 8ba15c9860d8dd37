package petrichor.frontends.storage;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.services.blobs.Bucket;
import petrichor.services.blobs.Buckets;
import petrichor.services.blobs.Preconditions;

/** Methods on buckets. */
final class BucketCalls {
    private static final int BUCKETS_PER_PAGE_MAX = 1_000;

    /** Of the default buckets of apps. */
    private static final String APP_DOMAIN = ".appspot.com";

    /** Also keeps out names of databases that are not those of projects. */
    private static final Pattern PROJECT =
            Pattern.compile("(?:[a-z\\d.\\-]{1,63}:)?[a-z\\d][a-z\\d\\-]{0,62}");

    private BucketCalls() {}

    private static String project(StorageCall call) {
        String project = call.parameter("project", "");
        requireProject(project);
        return project;
    }

    static void requireProject(String project) {
        if (!PROJECT.matcher(project).matches()) {
            throw PetrichorException.invalid(
                    "the parameter project must be the id of a project, not \"{project}\"; pass one"
                            + " to the client, or set GOOGLE_CLOUD_PROJECT",
                    "project",
                    project);
        }
    }

    static Page.Answer insert(StorageCall call) {
        String project = project(call);
        call.require(Role.WRITE, project);
        JsonObject wanted = call.json();
        String name = StorageJson.text(wanted, "name");
        if (name == null) {
            throw PetrichorException.invalid("the bucket has no name");
        }
        if (name.endsWith(APP_DOMAIN) && !name.equals(project + APP_DOMAIN)) {
            throw PetrichorException.of(
                    ErrorCode.PERMISSION_DENIED,
                    "buckets whose name ends with " + APP_DOMAIN + " belong to the app before it");
        }
        Bucket bucket =
                call.blobs()
                        .buckets()
                        .create(
                                project,
                                name,
                                BucketJson.versioning(wanted),
                                BucketJson.settings(wanted));
        return answer(call, bucket);
    }

    static Page.Answer list(StorageCall call) {
        String project = project(call);
        call.require(Role.READ, project);
        int max = call.pageSize(BUCKETS_PER_PAGE_MAX);
        List<Bucket> found =
                call.blobs()
                        .buckets()
                        .list(
                                project,
                                call.parameter("prefix", ""),
                                call.parameter("pageToken", ""),
                                max + 1);
        JsonArray items = new JsonArray();
        found.stream().limit(max).forEach(one -> items.add(BucketJson.of(one, call.base())));
        JsonObject page = new JsonObject();
        page.addProperty("kind", "storage#buckets");
        page.add("items", items);
        if (found.size() > max) {
            page.addProperty("nextPageToken", found.get(max - 1).name());
        }
        return StorageCall.json(200, page);
    }

    static Page.Answer get(StorageCall call, String name) {
        Bucket bucket = call.bucket(name, Role.READ);
        return switch (call.conditions().verdict(bucket.version())) {
            case MET -> answer(call, bucket);
            case NOT_MODIFIED -> Page.Answer.bytes(304, "application/json", new byte[0]);
            case FAILED -> {
                call.conditions().require(bucket.version(), name);
                yield answer(call, bucket);
            }
        };
    }

    static Page.Answer patch(StorageCall call, String name) {
        call.bucket(name, Role.WRITE);
        JsonObject patch = call.json();
        return answer(
                call,
                call.blobs()
                        .buckets()
                        .update(
                                name,
                                call.conditions(),
                                before -> BucketJson.patched(before, patch)));
    }

    static Page.Answer update(StorageCall call, String name) {
        call.bucket(name, Role.WRITE);
        JsonObject wanted = call.json();
        return answer(
                call,
                call.blobs()
                        .buckets()
                        .update(
                                name,
                                call.conditions(),
                                before -> BucketJson.replaced(before, wanted)));
    }

    static Page.Answer delete(StorageCall call, String name) {
        call.bucket(name, Role.WRITE);
        Preconditions conditions = call.conditions();
        return switch (call.blobs().buckets().delete(name, conditions)) {
            case Buckets.Deletion.DELETED ->
                    Page.Answer.bytes(204, "application/json", new byte[0]);
            case Buckets.Deletion.NOT_EMPTY ->
                    new StorageFailure(
                                    409,
                                    "conflict",
                                    "BucketNotEmpty",
                                    "The bucket you tried to delete is not empty.")
                            .json();
        };
    }

    private static Page.Answer answer(StorageCall call, Bucket bucket) {
        return StorageCall.json(200, BucketJson.of(bucket, call.base()));
    }
}
