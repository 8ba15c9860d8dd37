package visits;

import com.google.appengine.api.datastore.DatastoreService;
import com.google.appengine.api.datastore.DatastoreServiceFactory;
import com.google.appengine.api.datastore.Entity;
import com.google.appengine.api.datastore.EntityNotFoundException;
import com.google.appengine.api.datastore.Key;
import com.google.appengine.api.datastore.KeyFactory;
import com.google.appengine.api.datastore.Transaction;
import com.google.appengine.api.memcache.MemcacheService;
import com.google.appengine.api.memcache.MemcacheServiceFactory;
import java.io.IOException;
import java.util.ConcurrentModificationException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Counts the visits of each page in the datastore: POST counts one, GET shows the number. */
public final class VisitsServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final int ATTEMPTS = 20;
    private static final int CONFLICT = 503;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        MemcacheService cache = MemcacheServiceFactory.getMemcacheService();
        Long cached = (Long) cache.get(request.getPathInfo());
        response.setContentType("text/plain");
        response.getWriter().println(cached == null ? stored(request.getPathInfo()) : cached);
    }

    private static long stored(String page) {
        try {
            return (Long) DatastoreServiceFactory.getDatastoreService().get(key(page)).getProperty("visits");
        } catch (EntityNotFoundException none) {
            return 0;
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                count(request.getPathInfo());
                response.setStatus(HttpServletResponse.SC_NO_CONTENT);
                return;
            } catch (ConcurrentModificationException again) {
                // Another request has counted meanwhile.
            }
        }
        response.setStatus(CONFLICT);
    }

    private static void count(String page) {
        DatastoreService datastore = DatastoreServiceFactory.getDatastoreService();
        Transaction transaction = datastore.beginTransaction();
        try {
            Entity entity = new Entity(key(page));
            entity.setProperty("visits", visits(datastore, transaction, page) + 1);
            datastore.put(transaction, entity);
            transaction.commit();
        } finally {
            if (transaction.isActive()) {
                transaction.rollback();
            }
        }
        MemcacheServiceFactory.getMemcacheService().delete(page);
    }

    private static long visits(DatastoreService datastore, Transaction transaction, String page) {
        try {
            return (Long) datastore.get(transaction, key(page)).getProperty("visits");
        } catch (EntityNotFoundException none) {
            return 0;
        }
    }

    private static Key key(String page) {
        return KeyFactory.createKey("Page", page);
    }
}
