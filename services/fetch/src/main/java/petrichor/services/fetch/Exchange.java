package petrichor.services.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.classic.MinimalHttpClient;
import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.HttpsSupport;
import org.apache.hc.client5.http.ssl.NoopHostnameVerifier;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.config.RegistryBuilder;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.services.fetch.FetchResult.Reason;

/**
 * One request and its response, on a connection of its own. The minimal client neither follows
 * redirects nor keeps cookies, credentials or connections. {@link #cancel} may be called by another
 * thread.
 */
final class Exchange {
    private static final Http1Config BOUNDS =
            Http1Config.custom()
                    .setMaxLineLength(FetchLimits.RESPONSE_LINE_BYTES_MAX)
                    .setMaxHeaderCount(FetchLimits.RESPONSE_HEADERS_MAX)
                    .build();

    private final AddressGuard guard;
    private final TlsContexts tls;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private volatile @Nullable Thread running;

    Exchange(AddressGuard guard, TlsContexts tls) {
        this.guard = guard;
        this.tls = tls;
    }

    /** The request of one hop. */
    record Hop(
            FetchRequest.Method method,
            TargetUrl url,
            List<HeaderField> headers,
            byte[] payload,
            boolean validateCertificate,
            boolean decodesItself) {}

    /** The response of one hop. */
    record Reply(int status, List<HeaderField> headers, ResponseBody body) {
        @Nullable String header(String name) {
            return headers.stream()
                    .filter(field -> field.isNamed(name))
                    .map(HeaderField::value)
                    .findFirst()
                    .orElse(null);
        }
    }

    /**
     * Interrupts the thread of {@link #send}, which closes the connection if it is a virtual
     * thread. The client's own method waits for a connection that is being established.
     */
    void cancel() {
        cancelled.set(true);
        Thread now = running;
        if (now != null) {
            now.interrupt();
        }
    }

    /**
     * Blocks until the response is complete.
     *
     * @throws FetchFailure if there is no response
     */
    Reply send(Hop hop, Duration timeout, MemoryBudget.Reservation memory) {
        HttpUriRequestBase request = request(hop);
        running = Thread.currentThread();
        BasicHttpClientConnectionManager connection = connection(hop, timeout);
        try (MinimalHttpClient client = HttpClients.createMinimal(connection)) {
            HttpHost target =
                    new HttpHost(hop.url().scheme(), hop.url().bareHost(), hop.url().port());
            if (cancelled.get()) {
                throw new FetchFailure(Reason.DEADLINE_EXCEEDED, "the deadline passed");
            }
            return client.execute(target, request, response -> reply(hop, response, memory));
        } catch (IOException e) {
            throw failure(e);
        } finally {
            running = null;
        }
    }

    private static HttpUriRequestBase request(Hop hop) {
        HttpUriRequestBase request =
                new HttpUriRequestBase(hop.method().name(), java.net.URI.create(hop.url().text()));
        hop.headers().forEach(field -> request.addHeader(field.name(), field.value()));
        if (hop.method().hasBody()) {
            request.setEntity(new ByteArrayEntity(hop.payload(), null));
        }
        return request;
    }

    private BasicHttpClientConnectionManager connection(Hop hop, Duration timeout) {
        Timeout limit = Timeout.of(timeout);
        BasicHttpClientConnectionManager connection =
                BasicHttpClientConnectionManager.create(
                        null,
                        resolver(hop.url().port()),
                        RegistryBuilder.<TlsSocketStrategy>create()
                                .register("https", strategy(hop.validateCertificate()))
                                .build(),
                        ManagedHttpClientConnectionFactory.builder().http1Config(BOUNDS).build());
        connection.setConnectionConfig(
                ConnectionConfig.custom().setConnectTimeout(limit).setSocketTimeout(limit).build());
        connection.setSocketConfig(SocketConfig.custom().setSoTimeout(limit).build());
        return connection;
    }

    /** Called by the client when it connects: what it returns is what is connected to. */
    private DnsResolver resolver(int port) {
        return new DnsResolver() {
            @Override
            public InetAddress[] resolve(String host) {
                return guard.resolve(host.toLowerCase(Locale.ROOT), port)
                        .toArray(InetAddress[]::new);
            }

            @Override
            public String resolveCanonicalHostname(String host) {
                return host;
            }
        };
    }

    private TlsSocketStrategy strategy(boolean validate) {
        return validate
                ? new DefaultClientTlsStrategy(
                        tls.validating(),
                        HostnameVerificationPolicy.BOTH,
                        HttpsSupport.getDefaultHostnameVerifier())
                : new DefaultClientTlsStrategy(
                        tls.trusting(),
                        HostnameVerificationPolicy.CLIENT,
                        NoopHostnameVerifier.INSTANCE);
    }

    private static Reply reply(
            Hop hop, ClassicHttpResponse response, MemoryBudget.Reservation memory)
            throws IOException {
        List<HeaderField> headers =
                Arrays.stream(response.getHeaders()).map(Exchange::field).toList();
        requireShort(headers);
        boolean gzip =
                !hop.decodesItself()
                        && headers.stream()
                                .anyMatch(
                                        field ->
                                                field.isNamed("Content-Encoding")
                                                        && field.value().equalsIgnoreCase("gzip"));
        HttpEntity entity = response.getEntity();
        @Nullable InputStream stream = entity == null ? null : entity.getContent();
        ResponseBody body =
                stream == null || hop.method() == FetchRequest.Method.HEAD
                        ? ResponseBody.EMPTY
                        : ResponseBody.read(stream, gzip, memory);
        if (body.truncated()) {
            // The rest is not read: the connection is closed.
            response.close();
        }
        return new Reply(response.getCode(), visible(hop, headers, gzip, body), body);
    }

    private static void requireShort(List<HeaderField> headers) {
        long chars = 0;
        for (HeaderField field : headers) {
            chars += field.name().length() + field.value().length();
        }
        if (chars > FetchLimits.RESPONSE_HEADER_BYTES_MAX) {
            throw new FetchFailure(
                    Reason.MALFORMED_REPLY, "the header fields of the response are too long");
        }
    }

    private static HeaderField field(Header header) {
        return new HeaderField(
                header.getName(), header.getValue() == null ? "" : header.getValue());
    }

    /** Describes the content as the app receives it. */
    private static List<HeaderField> visible(
            Hop hop, List<HeaderField> headers, boolean gzip, ResponseBody body) {
        return headers.stream()
                .filter(field -> !(gzip && field.isNamed("Content-Encoding")))
                .map(
                        field ->
                                field.isNamed("Content-Length")
                                                && hop.method() != FetchRequest.Method.HEAD
                                        ? new HeaderField(
                                                field.name(),
                                                Integer.toString(body.content().length))
                                        : field)
                .toList();
    }

    private FetchFailure failure(IOException failed) {
        if (cancelled.get()) {
            return new FetchFailure(Reason.DEADLINE_EXCEEDED, "the deadline passed");
        }
        return switch (failed) {
            case SocketTimeoutException _ ->
                    new FetchFailure(Reason.DEADLINE_EXCEEDED, "the server did not answer in time");
            case SSLException e ->
                    new FetchFailure(Reason.SSL_CERTIFICATE_ERROR, "TLS failed: " + e.getMessage());
            case UnknownHostException _ ->
                    new FetchFailure(Reason.DNS_ERROR, "the host has no address");
            case ConnectException _, NoRouteToHostException _ ->
                    new FetchFailure(Reason.CONNECTION_ERROR, "the server cannot be reached");
            case NoHttpResponseException _, ConnectionClosedException _ ->
                    new FetchFailure(
                            Reason.CLOSED, "the server closed the connection before its response");
            case MalformedChunkCodingException _, MessageConstraintException _ ->
                    new FetchFailure(Reason.MALFORMED_REPLY, "the response is malformed");
            case IOException e when e.getCause() instanceof HttpException ->
                    new FetchFailure(Reason.MALFORMED_REPLY, "the response is malformed");
            case IOException _ ->
                    new FetchFailure(Reason.FETCH_ERROR, "the connection to the server failed");
        };
    }
}
