package petrichor.apps.instances;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A platform in its own process, with one instance: {@code FOLDER complete|nothing APP-ARGUMENT}.
 */
final class PlatformMain {
    private PlatformMain() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path folder = Path.of(arguments[0]);
        Isolation isolation = Isolation.probe(folder, 0x7000_0000);
        isolation.limitations().forEach(sentence -> System.out.println("limitation: " + sentence));
        if (arguments[1].equals("nothing")) {
            for (IsolationFeature feature : IsolationFeature.values()) {
                isolation = isolation.without(feature, "switched off");
            }
        }
        TestHost tested = new TestHost(folder, isolation, HostLimits.ofThisMachine());
        Instance instance = tested.ready(tested.spec("serve", arguments[2]));
        System.out.println("ids: " + tested.ask(instance, "/ids"));
        System.out.println(
                "secret: " + tested.ask(instance, "/read", "path", tested.data + "/secret"));
        System.out.println(
                "code: " + tested.ask(instance, "/write", "path", tested.code + "/planted"));
        System.out.println(
                "platform: "
                        + tested.ask(
                                instance,
                                "/read",
                                "path",
                                "/proc/" + ProcessHandle.current().pid() + "/environ"));
        System.out.println("ready");
        if (System.in.read() < 0) {
            tested.close();
            System.out.println("closed");
        }
    }
}
