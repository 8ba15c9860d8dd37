import com.google.appengine.tools.development.ApiServlet;
import java.net.InetSocketAddress;
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
        server.start();
        server.join();
    }
}
