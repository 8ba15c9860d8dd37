package petrichor.clients.appengine;

import com.google.appengine.repackaged.org.apache.http.HttpEntityEnclosingRequest;
import com.google.appengine.repackaged.org.apache.http.HttpRequest;
import com.google.appengine.repackaged.org.apache.http.entity.ByteArrayEntity;
import com.google.appengine.repackaged.org.apache.http.entity.ContentType;
import com.google.appengine.repackaged.org.apache.http.impl.client.AbstractHttpClient;
import com.google.appengine.repackaged.org.apache.http.protocol.HttpContext;
import com.google.appengine.repackaged.org.apache.http.util.EntityUtils;
import com.google.appengine.setup.ApiProxyDelegate;
import com.google.appengine.setup.LazyApiProxyEnvironment;
import com.google.apphosting.utils.remoteapi.RemoteApiPb;
import java.io.IOException;

/**
 * The SDK's own delegate with the ticket of the request, which it knows but does not send: the line is commented out
 * in its source. Without a ticket every call belongs to the app of {@code apps.default-project}.
 */
final class TicketDelegate extends ApiProxyDelegate {
    private final ThreadLocal<String> ticket = new ThreadLocal<>();

    TicketDelegate() {
        // First, because a later interceptor computes the length of the body.
        ((AbstractHttpClient) httpclient).addRequestInterceptor(this::addTicket, 0);
    }

    @Override
    protected byte[] runSyncCall(
            LazyApiProxyEnvironment environment, String service, String method, byte[] request, int timeoutMillis) {
        ticket.set(environment.getTicket());
        try {
            return super.runSyncCall(environment, service, method, request, timeoutMillis);
        } finally {
            ticket.remove();
        }
    }

    private void addTicket(HttpRequest request, HttpContext context) throws IOException {
        HttpEntityEnclosingRequest post = (HttpEntityEnclosingRequest) request;
        RemoteApiPb.Request call = new RemoteApiPb.Request();
        call.parseFrom(EntityUtils.toByteArray(post.getEntity()));
        call.setRequestId(ticket.get());
        post.setEntity(new ByteArrayEntity(call.toByteArray(), ContentType.APPLICATION_OCTET_STREAM));
    }
}
