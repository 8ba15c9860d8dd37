package petrichor.jobs.leased;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import petrichor.cloud.local.LocalCloud;
import petrichor.jobs.engine.workers.WorkerMain;

/**
 * The program of a machine: it reports to whoever leases machines, waits until it is needed, works
 * for one stage and ends. The machine then starts the next one.
 */
public final class LeasedWorkerMain {
    /** The worker says this when it was called, and nothing before. */
    static final int READY = 1;

    private static final int NOT_NEEDED = 3;

    private LeasedWorkerMain() {}

    /**
     * @param arguments the file that says where to report, and the machine's folder
     */
    public static void main(String[] arguments) throws IOException {
        Coordinator coordinator = Coordinator.read(Path.of(arguments[0]));
        // What user code prints goes where the machine's other words go.
        System.setOut(System.err);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), coordinator.port())) {
            socket.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeUTF(coordinator.token());
            out.writeUTF(String.valueOf(System.getenv(LocalCloud.MARK)));
            out.writeLong(ProcessHandle.current().pid());
            out.flush();
            Files.write(
                    Path.of(arguments[1]).resolve(LocalMachines.GREETED),
                    "yes\n".getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            if (in.read() < 0) {
                Runtime.getRuntime().halt(NOT_NEEDED);
            }
            out.write(READY);
            out.flush();
            WorkerMain.serve(in, socket.getOutputStream());
        }
    }
}
