package petrichor.clients.appengine;

import com.google.apphosting.utils.servlet.ee10.DeferredTaskServlet;
import com.google.apphosting.utils.servlet.ee10.ParseBlobUploadFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/**
 * The HTTP server of an app, to which Petrichor sends tasks and uploads: the SDK's servlet for deferred tasks and its
 * filter for uploads, as on App Engine, and a page of the test for all other paths.
 */
final class ServletApp implements AutoCloseable {
    private static final EnumSet<DispatcherType> REQUESTS = EnumSet.of(DispatcherType.REQUEST);

    private final Server server;

    /** What the app does with a request. */
    interface Page {
        void answer(HttpServletRequest request, HttpServletResponse response) throws IOException;
    }

    ServletApp(App app, int port, Page page) throws Exception {
        ServletContextHandler context = new ServletContextHandler();
        context.addFilter(new FilterHolder(environment(app)), "/*", REQUESTS);
        context.addFilter(new FilterHolder(new ParseBlobUploadFilter()), "/*", REQUESTS);
        context.addServlet(new ServletHolder(new DeferredTaskServlet()), "/_ah/queue/__deferred__");
        context.addServlet(new ServletHolder(servlet(page)), "/*");
        server = new Server(new InetSocketAddress("127.0.0.1", port));
        server.setHandler(context);
        server.start();
    }

    /** Gives each request the environment that its header fields describe. */
    private static Filter environment(App app) {
        return new Filter() {
            @Override
            public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                    throws IOException, ServletException {
                try {
                    app.call(((HttpServletRequest) request)::getHeader, () -> {
                        chain.doFilter(request, response);
                        return null;
                    });
                } catch (IOException | ServletException | RuntimeException failure) {
                    throw failure;
                } catch (Exception failure) {
                    throw new ServletException(failure);
                }
            }
        };
    }

    private static HttpServlet servlet(Page page) {
        return new HttpServlet() {
            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
                page.answer(request, response);
            }
        };
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
