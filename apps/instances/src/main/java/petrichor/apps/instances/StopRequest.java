package petrichor.apps.instances;

import java.util.Map;

/** A GET request with which an instance learns that it will be stopped: {@code /_ah/stop}. */
public record StopRequest(String path, Map<String, String> headers) {
    public StopRequest {
        headers = Map.copyOf(headers);
        HttpGet.check(path, headers);
    }
}
