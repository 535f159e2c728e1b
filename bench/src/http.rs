//! HTTP/1.1 over one connection that stays open: one request at a time, and the whole of its response, whether that
//! comes in one piece or in chunks. Knows nothing of what is sent.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::Outcome;

/// How long a server may be silent before the run ends.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Connection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

/// What a server sent back.
#[derive(Debug)]
pub(crate) struct Response {
    /// The first line and the headers.
    head: String,
    pub(crate) body: String,
    /// From the first byte of the request to the last one of the response.
    pub(crate) took: Duration,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let stream = BufReader::new(stream);
        Ok(Self { address, stream })
    }

    /// Sends JSON to where servers of the protocol are, and waits for the response.
    pub(crate) fn post(&mut self, headers: &[(&str, &str)], body: &str) -> Outcome<Response> {
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        self.exchange(&request)
    }

    /// Asks for a page, and waits for the response.
    pub(crate) fn get(&mut self, path: &str) -> Outcome<Response> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        self.exchange(&request)
    }

    fn exchange(&mut self, request: &str) -> Outcome<Response> {
        let begun = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (head, body) = read(&mut self.stream)?;
        let took = begun.elapsed();
        let body = String::from_utf8(body)?;
        Ok(Response { head, body, took })
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// Fails with what the server said unless it accepted the request.
    pub(crate) fn accepted(self) -> Outcome<Self> {
        let status = self.head.split(' ').nth(1).unwrap_or_default();
        if status.starts_with('2') {
            return Ok(self);
        }
        Err(format!("the server said {status}: {}", self.body).into())
    }
}

/// Reads the head and the body of one response, and not a byte more.
fn read(from: &mut impl BufRead) -> Outcome<(String, Vec<u8>)> {
    let mut head = String::with_capacity(1024);
    while !head.ends_with("\r\n\r\n") {
        read_line(from, &mut head)?;
    }
    let mut body = Vec::with_capacity(8 * 1024);
    if header(&head, "transfer-encoding") == Some("chunked") {
        read_chunks(from, &mut body)?;
    } else {
        let length = header(&head, "content-length").unwrap_or("0").parse()?;
        read_bytes(from, length, &mut body)?;
    }
    Ok((head, body))
}

fn read_chunks(from: &mut impl BufRead, body: &mut Vec<u8>) -> Outcome<()> {
    let mut line = String::new();
    loop {
        line.clear();
        read_line(from, &mut line)?;
        let length = u64::from_str_radix(line.trim_end(), 16)?;
        read_bytes(from, length, body)?;
        // Each chunk, the empty one at the end as well, is followed by the end of a line.
        read_line(from, &mut line)?;
        if length == 0 {
            return Ok(());
        }
    }
}

fn read_line(from: &mut impl BufRead, line: &mut String) -> Outcome<()> {
    match from.read_line(line)? {
        0 => Err("the server closed the connection instead of answering".into()),
        _ => Ok(()),
    }
}

fn read_bytes(from: &mut impl BufRead, count: u64, bytes: &mut Vec<u8>) -> Outcome<()> {
    let read = from.by_ref().take(count).read_to_end(bytes)?;
    if u64::try_from(read) != Ok(count) {
        return Err("the server closed the connection within an answer".into());
    }
    Ok(())
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = headers.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    Some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(response: &str, expected: Result<&str, &str>) {
        let mut rest = response.as_bytes();
        let body = read(&mut rest).map(|(_, body)| String::from_utf8(body).unwrap());
        let body = body.map_err(|error| error.to_string());
        assert_eq!(body, expected.map(str::to_owned).map_err(str::to_owned));
        assert!(
            rest.is_empty() || rest == b"HTTP/1.1 200 OK\r\n",
            "{rest:?}"
        );
    }

    #[test]
    fn a_response_ends_where_it_says() {
        check(
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndoneHTTP/1.1 200 OK\r\n",
            Ok("done"),
        );
        check(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\ndo\r\nA\r\nne, quite \r\n0\r\n\r\nHTTP/1.1 200 OK\r\n",
            Ok("done, quite "),
        );
        check("HTTP/1.1 202 Accepted\r\n\r\nHTTP/1.1 200 OK\r\n", Ok(""));
    }

    #[test]
    fn a_response_that_breaks_off_is_no_response() {
        check(
            "HTTP/1.1 200 OK\r\n",
            Err("the server closed the connection instead of answering"),
        );
        check(
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\ndone",
            Err("the server closed the connection within an answer"),
        );
    }
}
