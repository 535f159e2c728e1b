document.getElementById("page")!.textContent = "todori";
export {};
