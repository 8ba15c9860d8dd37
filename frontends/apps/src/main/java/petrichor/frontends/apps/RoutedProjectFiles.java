package petrichor.frontends.apps;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.apps.hosting.AppliedFile;
import petrichor.apps.hosting.ServiceDefinitions;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.http.OwnerCall;
import petrichor.rpc.CallFailure;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Rpc;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;

/**
 * Checks and applies the files of deployed apps on the server that owns the database of their
 * project, whichever server the app is deployed to. Thread-safe; blocks until the owner has
 * answered.
 */
public final class RoutedProjectFiles implements ServiceDefinitions, RoutedService {
    private static final String NAME = "petrichor.apps.v1.Files";
    private static final String CALL = NAME + "/Apply";

    /** Longer than a takeover. */
    private static final Duration CALL_MAX = Duration.ofSeconds(30);

    private static final Gson GSON = new Gson();

    private final ServiceDefinitions local;
    private final Supplier<Databases> databases;
    private final Rpc rpc;

    /**
     * @param texts by the name of the file
     * @param apply whether to apply the files, or only to check them
     * @param former names of the queues of the app's former {@code queue.yaml}
     */
    private record Request(
            String project, Map<String, String> texts, boolean apply, List<String> former) {}

    /**
     * @param queues of {@code queue.yaml}; null without the file
     */
    private record Response(@Nullable List<String> queues, List<AppliedFile> applied) {}

    /**
     * @param local of the projects that this server owns
     * @param databases of the current data
     */
    public RoutedProjectFiles(ServiceDefinitions local, Supplier<Databases> databases, Rpc rpc) {
        this.local = local;
        this.databases = databases;
        this.rpc = rpc;
        rpc.register(this);
    }

    @Override
    public Set<String> files() {
        return local.files();
    }

    @Override
    public Checked check(String project, Map<String, String> texts) {
        if (texts.isEmpty()) {
            return local.check(project, texts);
        }
        Response checked = call(new Request(project, texts, false, List.of()));
        return new Checked() {
            @Override
            public Optional<List<String>> queues() {
                return Optional.ofNullable(checked.queues());
            }

            @Override
            public List<AppliedFile> apply(List<String> former) {
                return call(new Request(project, texts, true, former)).applied();
            }
        };
    }

    private Response call(Request request) {
        try {
            byte[] answer =
                    rpc.routing()
                            .call(owned(request, Cancellation.after(CALL_MAX.toNanos())))
                            .join();
            return GSON.fromJson(new String(answer, StandardCharsets.UTF_8), Response.class);
        } catch (CompletionException failed) {
            if (CallFailure.cause(failed) instanceof RuntimeException reason) {
                throw reason;
            }
            throw failed;
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(CALL)) {
            throw RoutedService.unknown(call.method());
        }
        try {
            return owned(
                    GSON.fromJson(new String(call.body(), StandardCharsets.UTF_8), Request.class),
                    call.cancellation());
        } catch (JsonSyntaxException malformed) {
            throw PetrichorException.invalid("a malformed request to apply files of an app");
        }
    }

    private RoutedCall owned(Request request, Cancellation within) {
        return new OwnerCall(
                CALL,
                request.project(),
                () -> bytes(request),
                within,
                OwnerCall.OWN_THREAD,
                () -> CompletableFuture.completedFuture(bytes(executed(request))));
    }

    private static byte[] bytes(Object value) {
        return GSON.toJson(value).getBytes(StandardCharsets.UTF_8);
    }

    private Response executed(Request request) {
        String database = EntityDatabases.name(request.project(), "");
        if (!databases.get().open(database).sequencedHere()) {
            throw new NotSequencedHere(database);
        }
        Checked checked = local.check(request.project(), request.texts());
        return new Response(
                checked.queues().orElse(null),
                request.apply() ? checked.apply(request.former()) : List.of());
    }
}
