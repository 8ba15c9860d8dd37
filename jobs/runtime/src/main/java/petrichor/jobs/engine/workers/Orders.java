package petrichor.jobs.engine.workers;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Proxy;

/** Reads the job master's messages to a worker, with the classes of the job's jars. */
final class Orders extends ObjectInputStream {
    private final ClassLoader classes;

    Orders(InputStream in, ClassLoader classes) throws IOException {
        super(in);
        this.classes = classes;
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description)
            throws IOException, ClassNotFoundException {
        try {
            return Class.forName(description.getName(), false, classes);
        } catch (ClassNotFoundException primitive) {
            return super.resolveClass(description);
        }
    }

    @Override
    protected Class<?> resolveProxyClass(String[] interfaces) throws ClassNotFoundException {
        Class<?>[] all = new Class<?>[interfaces.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = Class.forName(interfaces[i], false, classes);
        }
        return Proxy.newProxyInstance(classes, all, (_, _, _) -> null).getClass();
    }
}
