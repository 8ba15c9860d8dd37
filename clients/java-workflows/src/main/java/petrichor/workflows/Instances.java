package petrichor.workflows;

import java.lang.reflect.InvocationTargetException;

/** The app's classes by their names, and instances of them. */
final class Instances {
    private Instances() {}

    static Class<?> named(String name) {
        try {
            return Class.forName(name, true, Thread.currentThread().getContextClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new Abort("the app has no class " + name);
        }
    }

    static <T> T of(Class<?> type, Class<T> expected) {
        try {
            return expected.cast(type.getConstructor().newInstance());
        } catch (ClassCastException other) {
            throw new Abort(type.getName() + " does not implement " + expected.getName());
        } catch (InvocationTargetException failed) {
            throw new Abort("the constructor of " + type.getName() + " failed: " + failed.getCause());
        } catch (ReflectiveOperationException unsuitable) {
            throw new Abort(type.getName() + " must be a public class with a public constructor without parameters");
        }
    }
}
