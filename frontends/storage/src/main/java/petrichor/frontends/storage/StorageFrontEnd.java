package petrichor.frontends.storage;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.PathTemplate;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;
import petrichor.services.blobs.Blobs;

/**
 * Cloud Storage for unmodified clients: the JSON API, and objects by the XML API. The assembly
 * passes the service. Thread-safe.
 */
public final class StorageFrontEnd {
    /** Share of the process's memory for running uploads and downloads. */
    private static final int TRANSFERS_PERCENT = 30;

    /** Share of the process's memory for running batches. */
    private static final int BATCHES_PERCENT = 20;

    private static final String UNKNOWN = "unknown";

    /** A name of a bucket, and one of an object. */
    private static final PathTemplate OBJECT =
            new PathTemplate(
                    "/",
                    Pattern.compile("/[a-z\\d][a-z\\d._-]{2,221}+(?<=[a-z\\d])/.+", Pattern.DOTALL),
                    List.of());

    private final Supplier<Blobs> blobs;
    private final JsonApi json;
    private final XmlCalls xml;
    private final MemoryBudget batchMemory;
    private final Counter requests;

    /**
     * @param blobs the first request may create it
     */
    public StorageFrontEnd(
            Supplier<Blobs> blobs,
            MemoryBudget memory,
            TimeSource time,
            PrometheusRegistry registry) {
        this.blobs = blobs;
        Transfers transfers =
                new Transfers(memory.sharePercent("storage transfers", TRANSFERS_PERCENT));
        UploadCalls uploads = new UploadCalls(transfers);
        ResumableCalls resumable = new ResumableCalls(transfers);
        Downloads downloads = new Downloads(transfers);
        this.json = new JsonApi(uploads, resumable, downloads);
        this.xml = new XmlCalls(uploads, resumable, downloads, time);
        this.batchMemory = memory.sharePercent("storage batches", BATCHES_PERCENT);
        this.requests =
                Counter.builder()
                        .name("petrichor_storage_requests_total")
                        .help("Completed requests of the Cloud Storage API.")
                        .labelNames("method", "status")
                        .withoutExemplars()
                        .register(registry);
        register(transfers, registry);
    }

    private static void register(Transfers transfers, PrometheusRegistry registry) {
        var _ =
                GaugeWithCallback.builder()
                        .name("petrichor_storage_transfers")
                        .help("Running uploads and downloads of objects.")
                        .callback(now -> now.call(transfers.running()))
                        .register(registry);
        var _ =
                CounterWithCallback.builder()
                        .name("petrichor_storage_received_bytes_total")
                        .help("Content of objects received, bytes.")
                        .callback(now -> now.call((double) transfers.bytesReceived()))
                        .register(registry);
        var _ =
                CounterWithCallback.builder()
                        .name("petrichor_storage_sent_bytes_total")
                        .help("Content of objects sent, bytes.")
                        .callback(now -> now.call((double) transfers.bytesSent()))
                        .register(registry);
    }

    /**
     * The resources of this front end, for the server that listens. The last ones match every path
     * of at least two segments, so they must follow the pages of other front ends.
     *
     * @param secure whether clients use TLS
     */
    public List<Page> pages(boolean secure) {
        String scheme = secure ? "https" : "http";
        List<Page> pages = new ArrayList<>();
        for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
            for (String path : JsonApi.RESOURCES) {
                pages.add(
                        new Page(
                                method,
                                path,
                                Page.Access.TOKEN,
                                Page.Lane.CALLS,
                                request -> inJson(method, request, scheme, json::resource)));
            }
        }
        BatchCalls batches =
                new BatchCalls(
                        batchMemory,
                        (method, part) -> inJson(method, part, scheme, json::resource));
        pages.add(
                new Page(
                        "POST",
                        "/batch/storage/v1",
                        Page.Access.TOKEN,
                        Page.Lane.CALLS,
                        request ->
                                inJson(
                                        "POST",
                                        request,
                                        scheme,
                                        (_, _) ->
                                                new Operation(
                                                        "batch",
                                                        call -> batches.run(call.http())))));
        pages.add(
                new Page(
                        "GET",
                        JsonApi.DOWNLOADS + "*",
                        Page.Access.TOKEN,
                        Page.Lane.CALLS,
                        request ->
                                inJson(
                                        "GET",
                                        request,
                                        scheme,
                                        (_, asked) -> json.download(asked))));
        for (String prefix : JsonApi.UPLOADS) {
            for (String method : List.of("POST", "PUT", "DELETE")) {
                pages.add(
                        Page.streaming(
                                method,
                                PathTemplate.of(prefix + "*"),
                                Page.Access.OPTIONAL_TOKEN,
                                request -> inJson(method, request, scheme, json::upload)));
            }
        }
        pages.addAll(new KeyPages(blobs, scheme).pages());
        pages.add(object("GET", scheme, xml::get));
        pages.add(object("PUT", scheme, xml::put));
        pages.add(object("POST", scheme, xml::post));
        pages.add(object("DELETE", scheme, xml::delete));
        return pages;
    }

    private Page.Answer inJson(
            String method,
            Page.Request request,
            String scheme,
            BiFunction<String, Page.Request, Operation> find) {
        return answer(request, scheme, () -> find.apply(method, request), StorageFailure::json);
    }

    private Page object(String method, String scheme, Function<StorageCall, Page.Answer> run) {
        String name = "xml." + method.toLowerCase(Locale.ROOT);
        return Page.streaming(
                method,
                OBJECT,
                Page.Access.OPTIONAL_TOKEN,
                request ->
                        answer(
                                request,
                                scheme,
                                () -> new Operation(name, run),
                                StorageFailure::xml));
    }

    // every failure is a response in the format of the API
    @SuppressWarnings("CatchThrowable")
    private Page.Answer answer(
            Page.Request request,
            String scheme,
            Supplier<Operation> find,
            Function<StorageFailure, Page.Answer> format) {
        String name = UNKNOWN;
        Page.Answer answer;
        try {
            Operation operation = find.get();
            name = operation.name();
            StorageCall call = StorageCall.of(request, blobs.get(), scheme);
            answer = request.cancellation().call(() -> operation.run().apply(call));
        } catch (Throwable thrown) {
            Trace trace = Trace.of(request.headers().get(Trace.HEADER));
            request.attempt().end(CallFailure.code(thrown).name());
            answer = format.apply(StorageFailure.of(thrown, trace));
        }
        requests.labelValues(name, String.valueOf(answer.status())).inc();
        return answer;
    }
}
