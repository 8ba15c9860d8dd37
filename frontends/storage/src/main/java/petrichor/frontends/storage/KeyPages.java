package petrichor.frontends.storage;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.SigningKeys;

/**
 * Creates, lists and deletes the keys with which clients sign URLs, for administrators of a
 * project. A new key is returned in the format of Google's service account files, which its clients
 * load. The private key is not kept. Thread-safe.
 */
final class KeyPages {
    private static final String PATH = "/petrichor/v1/projects/{project}/storage-keys";
    private static final String PROJECT = "project";
    private static final int PEM_LINE_CHARS = 64;

    private final Supplier<Blobs> blobs;
    private final String scheme;

    KeyPages(Supplier<Blobs> blobs, String scheme) {
        this.blobs = blobs;
        this.scheme = scheme;
    }

    List<Page> pages() {
        return List.of(
                page("POST", PATH, this::create),
                page("GET", PATH, this::list),
                page("DELETE", PATH + "/{email}", this::delete));
    }

    private static Page page(
            String method, String path, Function<Page.Request, Page.Answer> answer) {
        return new Page(
                method,
                path,
                Page.Access.TOKEN,
                Page.Lane.CALLS,
                request -> {
                    try {
                        request.attempt().require(Role.ADMIN, request.inPath(PROJECT), "");
                        BucketCalls.requireProject(request.inPath(PROJECT));
                        return answer.apply(request);
                    } catch (PetrichorException refused) {
                        request.attempt().end(CallFailure.code(refused).name());
                        return StorageFailure.of(
                                        refused, Trace.of(request.headers().get(Trace.HEADER)))
                                .json();
                    }
                });
    }

    private Page.Answer create(Page.Request request) {
        String name =
                StorageJson.text(
                        StorageJson.parse(new String(request.body(), StandardCharsets.UTF_8)),
                        "name");
        if (name == null) {
            throw PetrichorException.invalid("the key has no name; send {\"name\": \"…\"}");
        }
        SigningKeys.Created created = blobs.get().keys().create(request.inPath(PROJECT), name);
        String host = request.headers().getOrDefault("host", "localhost");
        JsonObject file = new JsonObject();
        file.addProperty("type", "service_account");
        file.addProperty("project_id", created.project());
        file.addProperty("private_key_id", created.email());
        file.addProperty("private_key", pem(created.privateKey().getEncoded()));
        file.addProperty("client_email", created.email());
        file.addProperty("client_id", created.email());
        // Required in such a file; this server issues no tokens for keys.
        file.addProperty("token_uri", scheme + "://" + host + "/token");
        return StorageCall.json(200, file);
    }

    private static String pem(byte[] key) {
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(PEM_LINE_CHARS, new byte[] {'\n'}).encodeToString(key)
                + "\n-----END PRIVATE KEY-----\n";
    }

    private Page.Answer list(Page.Request request) {
        JsonArray emails = new JsonArray();
        blobs.get().keys().list(request.inPath(PROJECT)).forEach(emails::add);
        JsonObject page = new JsonObject();
        page.add("keys", emails);
        return StorageCall.json(200, page);
    }

    private Page.Answer delete(Page.Request request) {
        String email = request.inPath("email");
        if (!blobs.get().keys().delete(request.inPath(PROJECT), email)) {
            return new StorageFailure(404, "notFound", "NotFound", "there is no key " + email)
                    .json();
        }
        return Page.Answer.bytes(204, "application/json", new byte[0]);
    }
}
