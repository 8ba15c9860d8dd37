import com.google.appengine.tools.development.ApiServlet;
import com.google.apphosting.api.ApiProxy;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** Google's Java API server on the loopback address only. Arguments: port, application's port. */
public final class ApiServerOnLoopback {
    public static void main(String[] arguments) throws Exception {
        Server server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
        ServletContextHandler context = new ServletContextHandler();
        ServletHolder api = new ServletHolder(new ApiServlet());
        api.setInitParameter("java_runtime_port", arguments[1]);
        api.setInitParameter("java_runtime_host", "localhost");
        context.addServlet(api, "/rpc_http");
        server.setHandler(context);
        // Some services, such as search, ask which app calls them; its own main does not tell them.
        ApiProxy.setEnvironmentFactory(App::new);
        server.start();
        server.join();
    }

    private static final class App implements ApiProxy.Environment {
        private final Map<String, Object> attributes = new HashMap<>();

        @Override
        public String getAppId() {
            return "bench-app";
        }

        @Override
        public String getModuleId() {
            return "default";
        }

        @Override
        public String getVersionId() {
            return "v1";
        }

        @Override
        public String getEmail() {
            return "";
        }

        @Override
        public boolean isLoggedIn() {
            return false;
        }

        @Override
        public boolean isAdmin() {
            return false;
        }

        @Override
        public String getAuthDomain() {
            return "";
        }

        @Deprecated
        @Override
        public String getRequestNamespace() {
            return "";
        }

        @Override
        public Map<String, Object> getAttributes() {
            return attributes;
        }

        @Override
        public long getRemainingMillis() {
            return 60_000;
        }
    }
}
